// Shows on hover what a time is in the visitor's time zone. The server doesn't know the zone, and writes UTC.

const { lang } = document.documentElement;
/** As the server writes them. */
const exact = new Intl.DateTimeFormat(lang === 'en' ? 'en-GB' : lang, { dateStyle: 'medium', timeStyle: 'long' });

export function showLocalTimes(root: ParentNode): void {
  for (const time of root.querySelectorAll('time')) {
    const date = new Date(time.dateTime);
    if (!Number.isNaN(date.getTime())) time.title = exact.format(date);
  }
}
