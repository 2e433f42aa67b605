// Passes the website that the visitor came from on with downloads and plays, for the statistics of the game. A link gets
// it when it is followed, so that copied links don't have it.

const COUNTED = /\/(download|play)$/;

export function passReferrerOn(): void {
  if (document.referrer === '') return;
  const referrer = new URL(document.referrer).hostname;
  if (referrer === location.hostname) return;
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
