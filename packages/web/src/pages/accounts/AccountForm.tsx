// The layout of the account forms: a narrow column with a title, the error if there is one, the fields and one button.
import { Button, Title } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { useTitle } from '../../frame/page-title.ts';
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
