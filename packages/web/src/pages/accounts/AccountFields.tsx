// The fields that forms about accounts share, each with what password managers go by.
import { PasswordInput, TextInput } from '@mantine/core';

type FieldProps = { value: string; onChange: (value: string) => void };

export function NameField({ value, onChange }: FieldProps) {
  return (
    <TextInput
      label="Name"
      description="Shown to players beside your games"
      autoComplete="name"
      required
      w="100%"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

export function EmailField({ value, onChange }: FieldProps) {
  return (
    <TextInput
      label="Email"
      type="email"
      autoComplete="username"
      required
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
