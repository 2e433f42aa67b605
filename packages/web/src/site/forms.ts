// What forms and buttons of the public pages do in place: messages about fields, a warning before typed text is lost,
// joining a beta, and signing out.
import { say } from './page-parts.ts';

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/**
 * Shows what is wrong with a field below it, in the language of the page, instead of in a bubble of the browser. The
 * server's message about a field has the same place.
 */
export function showMessagesOfForm(): void {
  // Neither event has to bubble.
  document.addEventListener('invalid', onInvalid, { capture: true });
  document.addEventListener('input', onInput, { capture: true });
}

function onInvalid(event: Event): void {
  const control = event.target as Control;
  event.preventDefault();
  removeMessage(control);
  const message = document.createElement('p');
  message.className = 'alert';
  message.role = 'alert';
  message.id = `mistake-${control.name}`;
  message.textContent = describe(control);
  (control.closest('label') ?? control).after(message);
  control.setAttribute('aria-invalid', 'true');
  control.setAttribute('aria-describedby', message.id);
  if (control.form?.querySelector(':invalid') === control) control.focus();
}

function onInput({ target }: Event): void {
  const control = target as Control;
  removeMessage(control);
  // The browser accepts a value of only spaces in a required field.
  const isBlank = control.required && control.value !== '' && control.value.trim() === '';
  control.setCustomValidity(isBlank ? say('field.mistake.empty') : '');
}

function describe({ type, validity, validationMessage }: Control): string {
  if (validity.typeMismatch && type === 'email') return say('field.mistake.email');
  if (validity.valueMissing) return say(type === 'select-one' ? 'field.mistake.unchosen' : 'field.mistake.empty');
  return validationMessage;
}

function removeMessage(control: Control): void {
  if (!control.hasAttribute('aria-invalid')) return;
  document.getElementById(control.getAttribute('aria-describedby') ?? '')?.remove();
  control.removeAttribute('aria-invalid');
  control.removeAttribute('aria-describedby');
}

/** Asks before leaving a page with typed text that was not sent, such as a report to the operators. */
export function keepUnsentText(): void {
  // The listener is added when something is typed, because it keeps some browsers from going back to a page without
  // loading it.
  document.addEventListener('input', ({ target }) => {
    if (target instanceof HTMLTextAreaElement) addEventListener('beforeunload', askIfTyped);
  });
  document.addEventListener('submit', () => removeEventListener('beforeunload', askIfTyped));
}

function askIfTyped(event: BeforeUnloadEvent): void {
  const texts = [...document.querySelectorAll('textarea')];
  if (texts.some(({ value }) => value.trim() !== '')) event.preventDefault();
}

/** The button that joins or leaves the beta of a game. */
export function startBeta(): void {
  const button = document.querySelector<HTMLButtonElement>('[data-beta]');
  button?.addEventListener('click', async () => {
    const { beta: method = 'PUT', game = '', after = '' } = button.dataset;
    button.disabled = true;
    const response = await fetch(`/api/v1/games/${game}/beta`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(method === 'PUT' && { body: '{}' }),
    }).catch(() => null);
    if (response?.ok) return location.assign(after);
    button.disabled = false;
    const alert = document.createElement('p');
    alert.className = 'alert';
    alert.role = 'alert';
    alert.textContent = say(response === null ? 'beta.unreachable' : 'beta.failed');
    button.nextElementSibling?.remove();
    button.after(alert);
  });
}

/** The button that signs the visitor out. */
export function startSignOut(): void {
  const button = document.querySelector<HTMLButtonElement>('[data-sign-out]');
  button?.addEventListener('click', async () => {
    button.disabled = true;
    const response = await fetch('/api/auth/sign-out', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    }).catch(() => null);
    if (response?.ok) location.assign('/');
    else button.disabled = false;
  });
}
