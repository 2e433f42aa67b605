// The account's email address: whether it is verified, and a form to change it.
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { changeEmail } from '../../account-calls.ts';
import type { Person } from '../../session.ts';
import { Problem } from '../../ui/Problem.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { EmailField } from './AccountFields.tsx';

export function EmailForm({ person }: { person: Person }) {
  const [next, setNext] = useState('');
  const changing = useMutation({ mutationFn: () => changeEmail(next) });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    changing.mutate();
  };
  return (
    <form onSubmit={submit} aria-label="Email">
      <Stack gap="sm" align="flex-start">
        <Title order={2} size="h4">
          Email
        </Title>
        <Group gap="xs">
          <Text size="sm">{person.email}</Text>
          <StateBadge tone={person.emailVerified ? 'good' : 'unsure'}>
            {person.emailVerified ? 'Verified' : 'Not verified'}
          </StateBadge>
        </Group>
        <EmailField label="New email" autoComplete="off" value={next} onChange={setNext} />
        <Text size="sm" c="dimmed">
          {person.emailVerified
            ? "We'll email a link to your current address first, then one to the new address. Open both to confirm the change."
            : "We'll email a link to the new address. Open it to confirm the change."}
        </Text>
        {changing.error !== null && <Problem error={changing.error} />}
        <Button type="submit" variant="default" loading={changing.isPending}>
          Change email
        </Button>
        {changing.isSuccess && (
          <Text size="sm" role="status">
            Check your email. We sent a link to {person.emailVerified ? person.email : next}. It expires in 24 hours.
          </Text>
        )}
      </Stack>
    </form>
  );
}
