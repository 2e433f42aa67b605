// Says what is wrong with the value of a form field, and how to correct it.

/** The parts of a form control that the sentence depends on. */
export type CheckedControl = {
  readonly type: string;
  /** For a field with a pattern: what it allows, such as `3 to 64 lowercase letters`. */
  readonly title: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly min?: string;
  readonly max?: string;
  readonly validity: Readonly<Partial<Record<keyof ValidityState, boolean>>>;
  /** The browser's own text, for everything else. */
  readonly validationMessage: string;
};

type Rule = { readonly applies: keyof ValidityState; readonly describe: (control: CheckedControl) => string };

/** The first that applies. */
const RULES: readonly Rule[] = [
  { applies: 'badInput', describe: ({ type }) => (type === 'number' ? 'Enter a number.' : 'Enter a complete value.') },
  { applies: 'valueMissing', describe: describeMissing },
  {
    applies: 'typeMismatch',
    describe: ({ type }) =>
      type === 'email'
        ? 'Enter an email address, such as name@example.com.'
        : 'Enter a full address, such as https://example.com.',
  },
  { applies: 'tooShort', describe: ({ minLength }) => `Use at least ${minLength} characters.` },
  { applies: 'tooLong', describe: ({ maxLength }) => `Use at most ${maxLength} characters.` },
  { applies: 'rangeUnderflow', describe: ({ min }) => `Enter ${min} or more.` },
  { applies: 'rangeOverflow', describe: ({ max }) => `Enter ${max} or less.` },
  { applies: 'stepMismatch', describe: () => 'Enter a whole number.' },
  { applies: 'patternMismatch', describe: describePattern },
];

export function describeMistake(control: CheckedControl): string {
  const rule = RULES.find(({ applies }) => control.validity[applies] === true);
  return rule?.describe(control) ?? control.validationMessage;
}

function describeMissing({ type }: CheckedControl): string {
  if (type === 'checkbox') return 'Check this box to continue.';
  if (type === 'radio' || type.startsWith('select')) return 'Choose one.';
  if (type === 'file') return 'Choose a file.';
  return 'This field is required.';
}

function describePattern({ title }: CheckedControl): string {
  return title === '' ? 'This value has the wrong form.' : `Use ${title.charAt(0).toLowerCase()}${title.slice(1)}.`;
}
