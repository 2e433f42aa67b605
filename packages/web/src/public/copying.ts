// The buttons that copy an id or a checksum, including buttons that are added to the page later.
import { writeClipboard } from './clipboard.ts';
import { say } from './words.ts';

const FEEDBACK_MS = 1500;

export function addCopying(): void {
  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLButtonElement>('[data-copy]') : null;
    if (button !== null) void copy(button);
  });
}

async function copy(button: HTMLButtonElement): Promise<void> {
  const isCopied = await writeClipboard(button.dataset.copy ?? '');
  button.title = say(isCopied ? 'copied' : 'copy.failed');
  button.toggleAttribute('data-done', isCopied);
  setTimeout(() => {
    button.title = say('copy');
    button.removeAttribute('data-done');
  }, FEEDBACK_MS);
}
