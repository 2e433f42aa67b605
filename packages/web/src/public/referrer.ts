// Passes the website that the visitor came from on with downloads and plays, for the statistics of the game. A link gets
// it when it is followed, so that copied links don't have it.

const COUNTED = /\/(download|play)$/;

export function passReferrerOn(): void {
  const referrer = takeReferrer();
  if (referrer === '') return;
  const pass = ({ target }: Event) => {
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>('#download a') : null;
    if (link === null || !COUNTED.test(link.pathname)) return;
    const url = new URL(link.href);
    url.searchParams.set('referrer', referrer);
    link.href = url.href;
  };
  addEventListener('click', pass);
  addEventListener('auxclick', pass);
}

/** Visitors who come from the widget have the website with its frame in the address. */
function takeReferrer(): string {
  const { searchParams: query, pathname, hash } = new URL(location.href);
  const passedOn = query.get('referrer') ?? '';
  if (passedOn !== '') {
    query.delete('referrer');
    history.replaceState(history.state, '', `${pathname}${query.size === 0 ? '' : `?${query}`}${hash}`);
  }
  if (document.referrer === '') return '';
  const { hostname } = new URL(document.referrer);
  return hostname === location.hostname ? passedOn : hostname;
}
