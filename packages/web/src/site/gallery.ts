// The images and videos of a game. Small images are shown in the large place, and the large one opens in the whole
// window, where arrow keys or buttons change the image and Escape closes it.
import { say } from './page-parts.ts';

type Gallery = {
  readonly name: string;
  readonly large: HTMLAnchorElement;
  /** Links to the images; empty for a single image. */
  readonly small: readonly HTMLAnchorElement[];
};

export function startGallery(): void {
  const area = document.querySelector<HTMLElement>('[data-gallery]');
  const large = area?.querySelector<HTMLAnchorElement>('[data-large]');
  if (area == null || large == null) return;
  const small = [...area.querySelectorAll<HTMLAnchorElement>('[data-small]')];
  const gallery: Gallery = { name: area.dataset.gallery ?? '', large, small };
  let shown = 0;
  let viewer: Viewer | undefined;
  const show = (index: number) => {
    shown = index;
    showLarge(gallery, index);
    viewer?.show(index);
  };
  for (const [index, link] of small.entries()) asButton(link, () => show(index));
  asButton(large, () => {
    viewer ??= createViewer(gallery, (by) => show((shown + by + small.length) % small.length));
    viewer.show(shown);
    viewer.dialog.showModal();
  });
}

function showLarge({ large, small }: Gallery, index: number): void {
  const [from, to] = [small[index]?.querySelector('img'), large.querySelector('img')];
  if (from == null || to === null) return;
  copyImage(from, to, to.sizes);
  large.href = small[index]?.href ?? large.href;
  large.setAttribute('aria-label', say('game.image.enlarge', { no: index + 1, total: small.length }));
  for (const [position, link] of small.entries())
    if (position === index) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
}

function copyImage(from: HTMLImageElement, to: HTMLImageElement, sizes: string): void {
  to.sizes = sizes;
  to.srcset = from.srcset;
  to.src = from.src;
  to.width = Number(from.getAttribute('width'));
  to.height = Number(from.getAttribute('height'));
}

type Viewer = { readonly dialog: HTMLDialogElement; show(index: number): void };

function createViewer({ name, large, small }: Gallery, turn: (by: number) => void): Viewer {
  const dialog = document.createElement('dialog');
  dialog.className = 'viewer';
  dialog.ariaLabel = say('game.images', { game: name });
  const image = document.createElement('img');
  const position = document.createElement('span');
  position.role = 'status';
  const form = document.createElement('form');
  form.method = 'dialog';
  const total = Math.max(1, small.length);
  if (total > 1)
    form.append(
      createButton(say('viewer.previous'), () => turn(-1)),
      position,
      createButton(say('viewer.next'), () => turn(1)),
    );
  const close = createButton(say('viewer.close'));
  close.classList.add('filled');
  form.append(close);
  dialog.append(image, form);
  if (total > 1)
    dialog.addEventListener('keydown', ({ key }) => {
      if (key === 'ArrowLeft') turn(-1);
      if (key === 'ArrowRight') turn(1);
    });
  document.body.append(dialog);
  return {
    dialog,
    show(index) {
      const from = large.querySelector('img');
      if (from !== null) copyImage(from, image, '96vw');
      image.alt = say('game.image', { game: name, no: index + 1, total });
      position.textContent = say('viewer.place', { no: index + 1, total });
    },
  };
}

/** A button of the dialog. Without an action, it closes the dialog. */
function createButton(label: string, act?: () => void): HTMLButtonElement {
  const button = document.createElement('button');
  button.className = 'button small';
  button.textContent = label;
  if (act === undefined) return button;
  button.type = 'button';
  button.addEventListener('click', act);
  return button;
}

/** The visitor has pressed "Play", so both sites may start at once. */
const ALLOWED = 'autoplay; encrypted-media; fullscreen; picture-in-picture';
const SANDBOX = 'allow-scripts allow-same-origin allow-popups allow-presentation';

/** Plays a video from another website instead of its image, once the visitor presses the button. */
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

/** Makes a link act on this page instead of opening another one. */
function asButton(link: HTMLAnchorElement, act: () => void): void {
  link.setAttribute('role', 'button');
  link.addEventListener('click', (event) => {
    event.preventDefault();
    act();
  });
  link.addEventListener('keydown', (event) => {
    if (event.key !== ' ') return;
    event.preventDefault();
    act();
  });
}
