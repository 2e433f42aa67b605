// Plays a video from another website instead of its image, once the visitor presses the button.
import { asButton } from './as-button.ts';

/** The visitor has pressed "Play", so both sites may start at once. */
const ALLOWED = 'autoplay; encrypted-media; fullscreen; picture-in-picture';
const SANDBOX = 'allow-scripts allow-same-origin allow-popups allow-presentation';

export function startVideos(): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('[data-video]')) asButton(link, () => play(link));
}

function play(link: HTMLAnchorElement): void {
  const { video = '', title = '' } = link.dataset;
  const frame = document.createElement('iframe');
  frame.title = title;
  frame.allow = ALLOWED;
  frame.setAttribute('sandbox', SANDBOX);
  frame.src = `${video}&autoplay=1`;
  link.parentElement?.replaceChildren(frame);
  frame.focus();
}
