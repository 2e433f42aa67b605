// The URLs of databases on one server.

/** The URL with another name of the database. */
export function urlOfDatabase(base: string, name: string): string {
  return base.replace(/\/[^/?]*(\?|$)/, (_, end: string) => `/${name}${end}`);
}
