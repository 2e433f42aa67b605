// Shows what is wrong with a field of a form below that field, in our own words, instead of in a bubble of the browser
// or at the end of the form.
import { texts } from '../texts.tsx';
import { describeMistake } from './describe-mistake.ts';
import classes from './field-messages.module.css';

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/**
 * Covers all forms of the page, including fields that are added later. A form is not submitted while a field has a
 * mistake.
 */
export function showFieldMessages(page: Document): void {
  // The event doesn't bubble.
  page.addEventListener('invalid', onInvalid, { capture: true });
  const onChange = ({ target }: Event) => {
    if (!isControl(target)) return;
    removeMessage(target);
    checkSpaces(target);
  };
  for (const name of ['input', 'change'] as const) page.addEventListener(name, onChange, { capture: true });
}

/**
 * Shows a message of the API at the field that it is about, in the form around `anchor`, and moves the focus there.
 * `field` is the path of the field in the request, as in `data-field`, or of a part of it, such as `tags[2]`. Returns
 * how to remove the message; null if the form has no such field.
 */
export function showAtField(anchor: Element, field: string, text: string): (() => void) | null {
  const control = findControl(anchor.closest('form'), field);
  if (control === null) return null;
  removeMessage(control);
  addMessage(control, text);
  control.focus();
  return () => removeMessage(control);
}

function findControl(form: HTMLFormElement | null, field: string): Control | null {
  if (form === null) return null;
  for (let path = field; path !== ''; path = path.replace(/(^|\.|\[)[^.[]*$/, '')) {
    const marked = form.querySelector(`[data-field="${CSS.escape(path)}"]`);
    if (marked === null) continue;
    const control = isControl(marked) ? marked : marked.querySelector(CONTROLS);
    if (isControl(control) && !control.matches(':disabled')) return control;
  }
  return null;
}

const CONTROLS = 'input:not([type=hidden]), textarea, select';

/** Refuses a value of only spaces in a required field, which the browser accepts. */
function checkSpaces(control: Control): void {
  const message = texts.t('field.mistake.empty');
  const isBlank =
    control.required && control.type !== 'password' && control.value !== '' && control.value.trim() === '';
  if (isBlank) control.setCustomValidity(message);
  // Any other message was set by the field itself, which also removes it.
  else if (control.validationMessage === message) control.setCustomValidity('');
}

function onInvalid(event: Event): void {
  const control = event.target;
  if (!isControl(control)) return;
  event.preventDefault();
  removeMessage(control);
  if (!hasOwnMessage(control)) addMessage(control, describeMistake(texts, control));
  if (control.form?.querySelector(':invalid:not(fieldset)') === control) control.focus();
}

function isControl(target: EventTarget | null): target is Control {
  return (
    target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
  );
}

/** Fields that are checked while someone types show themselves what is wrong. */
function hasOwnMessage(control: Control): boolean {
  return fieldOf(control)?.querySelector('.mantine-InputWrapper-error') != null;
}

function fieldOf(control: Control): Element | null {
  return control.closest('.mantine-InputWrapper-root') ?? control.closest('label') ?? control.parentElement;
}

const idOf = (control: Control) => `mistake-${control.id || control.name}`;

/** React keeps its own elements in the field, and leaves another element at their end alone. */
function addMessage(control: Control, text: string): void {
  const message = document.createElement('p');
  message.className = classes.message ?? '';
  message.id = idOf(control);
  message.textContent = text;
  fieldOf(control)?.append(message);
  control.setAttribute('aria-invalid', 'true');
  control.setAttribute('aria-errormessage', message.id);
  control.setAttribute('aria-describedby', [...describedBy(control), message.id].join(' '));
}

function removeMessage(control: Control): void {
  const id = idOf(control);
  const message = document.getElementById(id);
  if (message === null) return;
  message.remove();
  control.removeAttribute('aria-invalid');
  control.removeAttribute('aria-errormessage');
  const others = describedBy(control).filter((each) => each !== id);
  if (others.length === 0) control.removeAttribute('aria-describedby');
  else control.setAttribute('aria-describedby', others.join(' '));
}

function describedBy(control: Control): string[] {
  return (control.getAttribute('aria-describedby') ?? '').split(' ').filter((id) => id !== '');
}
