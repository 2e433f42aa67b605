// The fields that forms about accounts share, each with what password managers go by.
import { LIMITS } from '@chauffeur/contract/limits';
import { PasswordInput, TextInput } from '@mantine/core';

type FieldProps = { value: string; onChange: (value: string) => void };

export function NameField({ value, onChange, problem = null }: FieldProps & { problem?: string | null }) {
  return (
    <TextInput
      label="Name"
      description="Shown to players next to your games"
      error={problem === null ? undefined : `Please ${problem}.`}
      maxLength={LIMITS.displayNameLength * 2}
      autoComplete="name"
      required
      w="100%"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

type EmailProps = FieldProps & { label?: string; autoComplete?: string };

export function EmailField({ label = 'Email', autoComplete = 'username', value, onChange }: EmailProps) {
  return (
    <TextInput
      label={label}
      type="email"
      autoComplete={autoComplete}
      maxLength={LIMITS.emailLength}
      required
      w="100%"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** Of a password that there is. */
export function PasswordField({ label = 'Password', value, onChange }: FieldProps & { label?: string }) {
  return (
    <PasswordInput
      label={label}
      autoComplete="current-password"
      required
      w="100%"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

type NewPasswordProps = FieldProps & {
  label?: string;
  /** What else comes of it. */
  more?: string;
};

export function NewPasswordField({ label = 'New password', more = '', value, onChange }: NewPasswordProps) {
  return (
    <PasswordInput
      label={label}
      description={`At least 10 characters${more}`}
      autoComplete="new-password"
      required
      minLength={10}
      w="100%"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
