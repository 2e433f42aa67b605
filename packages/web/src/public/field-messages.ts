// Shows what is wrong with a field of a form below that field, in the language of the page, instead of in a bubble of the
// browser. The server's message about a field has the same place.
import { say } from './words.ts';

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

export function showFieldMessages(): void {
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
  // To the browser, spaces are a value.
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
