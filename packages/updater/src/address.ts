// Reads the address of a game, as players copy it from the browser.

/** The server is null if the text is only the uid or slug of a game. */
export type ParsedAddress = { readonly server: string | null; readonly game: string };

const NAME = /^[a-z0-9][a-z0-9-]*$/;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Reads `https://games.example.com/g/night-owls`, the same without `https://`, or `night-owls`. Null for other texts. */
export function parseAddress(text: string): ParsedAddress | null {
  const trimmed = text.trim();
  if (NAME.test(trimmed)) return { server: null, game: trimmed };
  const bare = trimmed.includes('://') ? trimmed : `https://${trimmed}`;
  const parsed = URL.parse(bare);
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.username !== '') return null;
  const [, before = '', game = ''] = /^(.*)\/g\/([^/]+)(\/.*)?$/.exec(parsed.pathname) ?? [];
  if (!NAME.test(game)) return null;
  const isPlain = !trimmed.includes('://') && LOOPBACK.test(parsed.hostname);
  const origin = isPlain ? parsed.origin.replace(/^https:/, 'http:') : parsed.origin;
  return { server: `${origin}${before}`, game };
}
