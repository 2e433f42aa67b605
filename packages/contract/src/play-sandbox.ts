// What a web build can do in its frame. The frame and every response of the build set the same sandbox.

/**
 * Sandbox flags of a game (HTML Standard, section 7.1.5). Navigation of the top page, popups and downloads are left out
 * because a malicious build could use them under this site's name, and dialogs because they could block the page.
 */
const FLAGS = ['allow-scripts', 'allow-pointer-lock', 'allow-orientation-lock', 'allow-forms'] as const;

/** The path on a game's host that shows a page of the website whether the browser can reach that host. */
export const PLAY_PROBE = '/play';

/**
 * The flags as the attribute and the header write them. With `keepsOrigin`, the game keeps its origin and therefore its
 * storage. Set it only if that origin is not the website's.
 */
export function sandboxOf({ keepsOrigin }: { keepsOrigin: boolean }): string {
  return [...FLAGS, ...(keepsOrigin ? ['allow-same-origin'] : [])].join(' ');
}
