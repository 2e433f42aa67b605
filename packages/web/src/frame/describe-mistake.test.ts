import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textsOf } from '@chauffeur/contract/texts/catalogue';
import { type CheckedControl, describeMistake } from './describe-mistake.ts';

const control: CheckedControl = { type: 'text', title: '', validity: {}, validationMessage: 'Browser says no' };

test('each mistake is described with its correction', () => {
  const sentences: [Partial<CheckedControl>, string][] = [
    [{ validity: { valueMissing: true } }, 'This field is required.'],
    [{ validity: { valueMissing: true }, type: 'checkbox' }, 'Check this box to continue.'],
    [{ validity: { valueMissing: true }, type: 'select-one' }, 'Choose one.'],
    [{ validity: { typeMismatch: true }, type: 'email' }, 'Enter an email address, such as name@example.com.'],
    [{ validity: { typeMismatch: true }, type: 'url' }, 'Enter a full address, such as https://example.com.'],
    [{ validity: { tooShort: true }, minLength: 10 }, 'Use at least 10 characters.'],
    [{ validity: { rangeOverflow: true }, max: '5' }, 'Enter 5 or less.'],
    [{ validity: { patternMismatch: true }, title: 'Up to 32 letters' }, 'Use up to 32 letters.'],
    [{ validity: { badInput: true }, type: 'number' }, 'Enter a number.'],
    [{ validity: { customError: true } }, 'Browser says no'],
  ];
  for (const [parts, sentence] of sentences)
    assert.equal(describeMistake(textsOf('en'), { ...control, ...parts }), sentence);
});
