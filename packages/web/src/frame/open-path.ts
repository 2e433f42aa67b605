// Opens a path of this site: within the program, or as a document if it is a public page, which the server writes.
import { matchPage, PUBLIC_PAGES } from '@chauffeur/contract/pages';

type Navigator = { navigate(to: { href: string }): Promise<void> };

export async function openPath(router: Navigator, href: string): Promise<void> {
  const page = matchPage(href.split(/[?#]/, 1)[0] ?? '');
  if (page === undefined || PUBLIC_PAGES.has(page.name)) location.assign(href);
  else await router.navigate({ href });
}
