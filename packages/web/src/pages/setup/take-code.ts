// The set-up code in the link that the server prints.

/** Returns the code in the fragment, or '', and removes it from the address, so that it isn't shared or bookmarked. */
export function takeCode(): string {
  const code = new URLSearchParams(location.hash.slice(1)).get('code') ?? '';
  if (code !== '') history.replaceState(history.state, '', location.pathname + location.search);
  return code;
}
