/** The bytes of a manifest, a difference, a pack or a block are invalid, or don't fit to what they are applied to. */
export class DeltaError extends Error {
  override readonly name = 'DeltaError';
}
