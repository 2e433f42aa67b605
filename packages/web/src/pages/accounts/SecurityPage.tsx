// The account’s password, and where it is signed in.
import { Button, Group, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTitle } from '../../frame/page-title.ts';
import { changePassword, endOtherVisits, endVisit, type Visit, visits } from '../../session.ts';
import { Problem } from '../../ui/Problem.tsx';
import { Time } from '../../ui/Time.tsx';
import { NewPasswordField, PasswordField } from './AccountFields.tsx';
import { RevokeAccess } from './RevokeAccess.tsx';
import { sayBrowser } from './say-browser.ts';

export function SecurityPage() {
  useTitle('Security');
  return (
    <Stack gap="xl">
      <Visits />
      <PasswordForm />
      <RevokeAccess />
    </Stack>
  );
}

function Visits() {
  const { data, error, isPending, refetch } = useQuery(visits);
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ queryKey: visits.queryKey });
  const ending = useMutation({ mutationFn: endVisit, onSuccess: refresh });
  const endingOthers = useMutation({ mutationFn: endOtherVisits, onSuccess: refresh });
  const problem = error ?? ending.error ?? endingOthers.error;
  return (
    <section aria-labelledby="visits">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4" id="visits">
          Where you are signed in
        </Title>
        <Button
          size="xs"
          variant="default"
          loading={endingOthers.isPending}
          disabled={(data?.all.length ?? 0) < 2}
          onClick={() => endingOthers.mutate()}
        >
          Sign out everywhere else
        </Button>
      </Group>
      {problem !== null && <Problem error={problem} again={() => void refetch()} />}
      {isPending && <Skeleton h={108} />}
      {data !== undefined && (
        <Table.ScrollContainer minWidth={420}>
          <Table verticalSpacing={8}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Browser</Table.Th>
                <Table.Th>Address</Table.Th>
                <Table.Th>Since</Table.Th>
                <Table.Th aria-label="End it" />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.all.map((visit) => (
                <VisitRow
                  key={visit.id}
                  visit={visit}
                  isOwn={visit.id === data.own}
                  isEnding={ending.isPending && ending.variables === visit.token}
                  onEnd={() => ending.mutate(visit.token)}
                />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </section>
  );
}

type VisitRowProps = { visit: Visit; isOwn: boolean; isEnding: boolean; onEnd: () => void };

function VisitRow({ visit, isOwn, isEnding, onEnd }: VisitRowProps) {
  const browser = sayBrowser(visit.userAgent ?? '');
  return (
    <Table.Tr>
      <Table.Td title={visit.userAgent ?? undefined}>{browser}</Table.Td>
      <Table.Td>{visit.ipAddress ?? ''}</Table.Td>
      <Table.Td>
        <Time at={visit.createdAt} />
      </Table.Td>
      <Table.Td ta="right">
        {isOwn ? (
          <Text size="sm" c="dimmed">
            this one
          </Text>
        ) : (
          <Button
            size="compact-xs"
            variant="default"
            loading={isEnding}
            onClick={onEnd}
            aria-label={`Sign out of ${browser}`}
          >
            Sign out
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

function PasswordForm() {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const queries = useQueryClient();
  const changing = useMutation({
    mutationFn: () => changePassword(current, next),
    onSuccess: async () => {
      setCurrent('');
      setNext('');
      await queries.invalidateQueries({ queryKey: visits.queryKey });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    changing.mutate();
  };
  return (
    <form onSubmit={submit} aria-label="Password">
      <Stack gap="sm" align="flex-start">
        <Title order={2} size="h4">
          Password
        </Title>
        {changing.error !== null && <Problem error={changing.error} />}
        <PasswordField label="Current password" value={current} onChange={setCurrent} />
        <NewPasswordField more=". You are signed out everywhere else." value={next} onChange={setNext} />
        <Group gap="sm">
          <Button type="submit" loading={changing.isPending}>
            Change the password
          </Button>
          {changing.isSuccess && (
            <Text size="sm" role="status">
              Changed
            </Text>
          )}
        </Group>
      </Stack>
    </form>
  );
}
