// What an expression of the sources evaluates to, as far as it matters for the text of a statement.
import type { ClassDeclaration, Node } from 'typescript/unstable/ast';

/** A part of a statement: text, or a place where a value is passed as a parameter. */
export type Part = string | { readonly parameter: Node };

export type Value =
  /** `site` is the template that it was written as. */
  | { readonly kind: 'sql'; readonly parts: readonly Part[]; readonly site: Node }
  | { readonly kind: 'constant'; readonly value: string | number | boolean | null | undefined }
  /** `whole` is false if the program can make it longer or shorter. */
  | { readonly kind: 'list'; readonly items: Value[]; whole: boolean }
  | { readonly kind: 'object'; readonly fields: Map<string, () => Value>; readonly of?: ClassDeclaration }
  | { readonly kind: 'function'; readonly call: (args: readonly Value[]) => Value }
  /** Known only when the program runs. */
  | { readonly kind: 'unknown'; readonly node: Node };

export const NOTHING: Value = { kind: 'constant', value: undefined };

export function constant(value: string | number | boolean | null | undefined): Value {
  return { kind: 'constant', value };
}

/** The text with numbered parameters. */
export function textOf(parts: readonly Part[]): string {
  let text = '';
  let parameters = 0;
  for (const part of parts) {
    if (typeof part !== 'string') parameters += 1;
    text += typeof part === 'string' ? part : `$${parameters}`;
  }
  return text;
}
