// Which URLs can be those of a symbol server.

/** Parses the URL of a server; undefined if it is not an http or https URL, or if it contains credentials. */
export function readServerUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isUsable = url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  return isUsable ? url : undefined;
}
