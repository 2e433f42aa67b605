// The account forms: a narrow column with a title, the error if there is one, the fields that several forms have, and
// one button.
import { LIMITS } from '@chauffeur/contract/limits';
import { Button, PasswordInput, TextInput, Title } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { useTitle } from '../../frame/page-title.ts';
import { t } from '../../texts.tsx';
import { Panel } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';

type AccountFormProps = {
  title: string;
  submitLabel: string;
  isBusy: boolean;
  error: unknown;
  onSubmit: () => void;
  children: ReactNode;
  /** Shown below the button. */
  footer?: ReactNode;
};

export function AccountForm({ title, submitLabel, isBusy, error, onSubmit, children, footer }: AccountFormProps) {
  useTitle(title);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form onSubmit={submit} aria-label={title}>
      <Panel size="narrow">
        <Title order={1} size="h2">
          {title}
        </Title>
        {error != null && <Problem error={error} />}
        {children}
        <Button type="submit" loading={isBusy}>
          {submitLabel}
        </Button>
        {footer}
      </Panel>
    </form>
  );
}

/** The size of fields, which would otherwise be as wide as the page. */
export const FIELD_SIZE = { w: '100%', maw: 440 } as const;

type FieldProps = { value: string; onChange: (value: string) => void };

/** The fields that the account forms share, with the attributes that password managers look for. */
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
      {...FIELD_SIZE}
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
      {...FIELD_SIZE}
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
      {...FIELD_SIZE}
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
      {...FIELD_SIZE}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
