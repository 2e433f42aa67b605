// What a web build may do in its frame: said twice, by the frame that holds it and by every answer that it is made of.

/**
 * Sandbox flags (HTML Standard, 7.1.5) of a game. Not among them, on purpose: navigation of the top page, popups and downloads, by which a
 * hostile build would make its own of the name that stands in the address bar, and dialogs, by which it would hold the page up.
 */
const FLAGS = ['allow-scripts', 'allow-pointer-lock', 'allow-orientation-lock', 'allow-forms'] as const;

/**
 * The flags as the attribute and the header have them. With `keepsSaves` the game keeps its own origin, and with it its storage: only
 * where that origin is not the website’s.
 */
export function sandboxOf({ keepsSaves }: { keepsSaves: boolean }): string {
  return [...FLAGS, ...(keepsSaves ? ['allow-same-origin'] : [])].join(' ');
}
