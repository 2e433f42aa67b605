// Says when the visitor is offline, and opens the page again when the server could not show it.
import { say } from './words.ts';

export function watchConnection(): void {
  const area = document.createElement('div');
  area.setAttribute('role', 'status');
  document.body.append(area);
  const show = () => {
    const message = document.createElement('p');
    message.className = 'connection';
    message.textContent = say('offline');
    area.replaceChildren(...(navigator.onLine ? [] : [message]));
  };
  addEventListener('offline', show);
  addEventListener('online', show);
  if (!navigator.onLine) show();
  const seconds = Number(document.querySelector<HTMLMetaElement>('meta[name="retry"]')?.content);
  if (seconds > 0) setTimeout(() => location.reload(), seconds * 1000);
}
