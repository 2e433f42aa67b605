// A row of buttons of which one is selected, for filters and views.
import { Button } from '@mantine/core';

/** On a narrow phone, the buttons scroll. */
const SCROLLS = { overflowX: 'auto' } as const;

type ChoiceProps<Value extends string> = {
  /** Names the group for screen readers: `Status`. */
  label: string;
  value: Value;
  choices: readonly { readonly value: Value; readonly label: string }[];
  onChange: (value: Value) => void;
};

export function Choice<Value extends string>({ label, value, choices, onChange }: ChoiceProps<Value>) {
  return (
    <Button.Group aria-label={label} maw="100%" style={SCROLLS}>
      {choices.map((choice) => (
        <Button
          key={choice.value}
          size="xs"
          px="sm"
          flex="none"
          variant={choice.value === value ? 'filled' : 'default'}
          aria-pressed={choice.value === value}
          onClick={() => onChange(choice.value)}
        >
          {choice.label}
        </Button>
      ))}
    </Button.Group>
  );
}
