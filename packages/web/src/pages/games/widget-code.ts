// Writes the HTML of a widget's frame.

const SIZE = { width: 560, height: 170 } as const;

/** The name of the game becomes an attribute, so it can't end it or start another element. */
export function writeWidgetCode(address: string, name: string): string {
  const title = name.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<iframe src="${address}" title="${title}" width="${SIZE.width}" height="${SIZE.height}" style="border: 0; max-width: 100%" loading="lazy"></iframe>`;
}
