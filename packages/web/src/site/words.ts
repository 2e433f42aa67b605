// What the scripts of a page say, in its language. The server writes the words into the page.

let words: Readonly<Record<string, string>> | undefined;

/** A word or sentence with its values filled in, such as `image {no} of {total}`. */
export function say(key: string, values: Readonly<Record<string, string | number>> = {}): string {
  words ??= JSON.parse(document.getElementById('words')?.dataset.words ?? '{}') as Record<string, string>;
  return (words[key] ?? '').replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}
