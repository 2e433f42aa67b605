// Takes the place of TypeBox in the website. Calls need only the names of an operation's parameters, to put each into the
// path, the query or the body; the server checks their values.

type Named = { readonly properties?: object };

const Type = {
  Object: (properties: object): Named => ({ properties }),
  Partial: (type: Named): Named => type,
  Omit: (type: Named): Named => type,
  Optional: (type: Named): Named => type,
  Unsafe: (type: Named): Named => type,
  Array: (): Named => ({}),
  Boolean: (): Named => ({}),
  Enum: (): Named => ({}),
  Integer: (): Named => ({}),
  Literal: (): Named => ({}),
  Null: (): Named => ({}),
  Number: (): Named => ({}),
  Record: (): Named => ({}),
  String: (): Named => ({}),
  Union: (): Named => ({}),
  Unknown: (): Named => ({}),
};

// biome-ignore lint/style/noDefaultExport: TypeBox has a default export
export default Type;
