// The frame of the forms about accounts: a narrow column with a title, what went wrong, and one button.
import { Button, Stack, Title } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { useTitle } from '../../frame/page-title.ts';
import { Problem } from '../../ui/Problem.tsx';

type AccountFormProps = {
  title: string;
  button: string;
  busy: boolean;
  error: unknown;
  onSubmit: () => void;
  children: ReactNode;
  /** Below the button. */
  more?: ReactNode;
};

export function AccountForm({ title, button, busy, error, onSubmit, children, more }: AccountFormProps) {
  useTitle(title);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form onSubmit={submit} aria-label={title}>
      <Stack gap="md" maw={380} mx="auto" py="xl">
        <Title order={1} size="h2">
          {title}
        </Title>
        {error != null && <Problem error={error} />}
        {children}
        <Button type="submit" loading={busy}>
          {button}
        </Button>
        {more}
      </Stack>
    </form>
  );
}
