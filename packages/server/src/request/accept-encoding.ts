// Decides from Accept-Encoding whether a response may be compressed.

/** RFC 9110, section 12.5.3: the name of a coding takes precedence over `*`, and a weight of 0 excludes a coding. */
export function acceptsCoding(header: string | string[] | undefined, coding: 'br' | 'gzip'): boolean {
  const codings = new Map<string, boolean>();
  for (const item of String(header ?? '').split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    const isRefused = parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter));
    codings.set(name === 'x-gzip' ? 'gzip' : name, !isRefused);
  }
  return codings.get(coding) ?? codings.get('*') ?? false;
}

export function acceptsGzip(header: string | string[] | undefined): boolean {
  return acceptsCoding(header, 'gzip');
}
