// The error of a script or a mapping that can't be used. Its message is a clause: `it has no mappings`.

export class MappingError extends Error {}
