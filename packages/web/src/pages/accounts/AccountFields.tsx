// The fields that the account forms share, with the attributes that password managers look for.
import { LIMITS } from '@chauffeur/contract/limits';
import { PasswordInput, TextInput } from '@mantine/core';
import { t } from '../../texts.tsx';

type FieldProps = { value: string; onChange: (value: string) => void };

export function NameField({ value, onChange, problem = null }: FieldProps & { problem?: string | null }) {
  return (
    <TextInput
      data-field="name"
      label={t('field.name')}
      description={t('field.name.hint')}
      error={problem === null ? undefined : `Please ${problem}.`}
      maxLength={LIMITS.displayNameLength * 2}
      autoComplete="name"
      required
      withAsterisk={false}
      w="100%"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

type EmailProps = FieldProps & { label?: string; autoComplete?: string };

export function EmailField({ label = t('field.email'), autoComplete = 'username', value, onChange }: EmailProps) {
  return (
    <TextInput
      data-field="email"
      label={label}
      type="email"
      autoComplete={autoComplete}
      maxLength={LIMITS.emailLength}
      required
      withAsterisk={false}
      w="100%"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** A field for an existing password. */
export function PasswordField({ label = t('field.password'), value, onChange }: FieldProps & { label?: string }) {
  return (
    <PasswordInput
      data-field="password"
      label={label}
      autoComplete="current-password"
      required
      withAsterisk={false}
      w="100%"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

type NewPasswordProps = FieldProps & { label?: string; description?: string };

export function NewPasswordField(props: NewPasswordProps) {
  const {
    label = t('field.newPassword'),
    description = t('field.newPassword.hint', { count: LIMITS.passwordMinLength }),
    value,
    onChange,
  } = props;
  return (
    <PasswordInput
      data-field="new_password"
      label={label}
      description={description}
      autoComplete="new-password"
      required
      withAsterisk={false}
      minLength={LIMITS.passwordMinLength}
      w="100%"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
