// What texts of a kind that many fields have look like, such as ids. A field of such a kind can describe what it is for:
// a value that does not fit is still answered with what it should look like.

const forms = new Map<string, string>();

/** Keeps the description of a text for all texts with the same pattern. */
export function defineForm<S extends { readonly pattern: string; readonly description: string }>(schema: S): S {
  forms.set(schema.pattern, schema.description);
  return schema;
}

export function formOfPattern(pattern: string | undefined): string | undefined {
  return pattern === undefined ? undefined : forms.get(pattern);
}
