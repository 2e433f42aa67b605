// Says what is wrong with the value of a form field, and how to correct it.
import type { ProgramKey } from '@chauffeur/contract/texts/messages';
import type { Texts } from '@chauffeur/contract/texts/texts';

/** The parts of a form control that the sentence depends on. */
export type CheckedControl = {
  readonly type: string;
  /** What the pattern of the field allows, such as `3 to 64 lowercase letters`. */
  readonly title: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly min?: string;
  readonly max?: string;
  readonly validity: Readonly<Partial<Record<keyof ValidityState, boolean>>>;
  /** The browser's own text, which is used for all other mistakes. */
  readonly validationMessage: string;
};

type Mistake = { readonly key: MistakeKey; readonly values?: Readonly<Record<string, string | number>> };
type MistakeKey = Extract<ProgramKey, `field.mistake.${string}`>;
type Rule = { readonly applies: keyof ValidityState; readonly describe: (control: CheckedControl) => Mistake };

/** The first mistake that applies is described. */
const RULES: readonly Rule[] = [
  {
    applies: 'badInput',
    describe: ({ type }) => ({ key: type === 'number' ? 'field.mistake.number' : 'field.mistake.incomplete' }),
  },
  { applies: 'valueMissing', describe: ({ type }) => ({ key: missingKey(type) }) },
  {
    applies: 'typeMismatch',
    describe: ({ type }) => ({ key: type === 'email' ? 'field.mistake.email' : 'field.mistake.url' }),
  },
  {
    applies: 'tooShort',
    describe: ({ minLength = 0 }) => ({ key: 'field.mistake.short', values: { count: minLength } }),
  },
  {
    applies: 'tooLong',
    describe: ({ maxLength = 0 }) => ({ key: 'field.mistake.long', values: { count: maxLength } }),
  },
  { applies: 'rangeUnderflow', describe: ({ min = '' }) => ({ key: 'field.mistake.low', values: { limit: min } }) },
  { applies: 'rangeOverflow', describe: ({ max = '' }) => ({ key: 'field.mistake.high', values: { limit: max } }) },
  { applies: 'stepMismatch', describe: () => ({ key: 'field.mistake.whole' }) },
];

export function describeMistake(texts: Pick<Texts<ProgramKey>, 't'>, control: CheckedControl): string {
  const rule = RULES.find(({ applies }) => control.validity[applies] === true);
  if (rule !== undefined) {
    const { key, values } = rule.describe(control);
    return texts.t(key, values);
  }
  if (control.validity.patternMismatch === true) return describePattern(texts, control);
  return control.validationMessage;
}

function missingKey(type: string): MistakeKey {
  if (type === 'checkbox') return 'field.mistake.unchecked';
  if (type === 'radio' || type.startsWith('select')) return 'field.mistake.unchosen';
  return type === 'file' ? 'field.mistake.noFile' : 'field.mistake.empty';
}

/** Only pages of developers have fields with a pattern. */
function describePattern(texts: Pick<Texts<ProgramKey>, 't'>, { title }: CheckedControl): string {
  return title === '' ? texts.t('field.mistake.form') : `Use ${title.charAt(0).toLowerCase()}${title.slice(1)}.`;
}
