// The buttons that copy an id or a checksum, including buttons that are added to the page later.
import { say } from './words.ts';

const FEEDBACK_MS = 1500;

export function addCopying(): void {
  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLButtonElement>('[data-copy]') : null;
    if (button !== null) void copy(button);
  });
}

async function copy(button: HTMLButtonElement): Promise<void> {
  // Browsers have no clipboard where a server is reached by plain HTTP.
  const isCopied = await Promise.resolve()
    .then(() => navigator.clipboard.writeText(button.dataset.copy ?? ''))
    .then(
      () => true,
      () => false,
    );
  button.title = say(isCopied ? 'copied' : 'copy.failed');
  button.toggleAttribute('data-done', isCopied);
  setTimeout(() => {
    button.title = say('copy');
    button.removeAttribute('data-done');
  }, FEEDBACK_MS);
}
