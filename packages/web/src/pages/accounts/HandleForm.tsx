// The form to choose, change or remove the handle of your public page.
import { findHandleProblem } from '@chauffeur/contract/handle';
import { getProfile, updateProfile } from '@chauffeur/contract/operations/profile';
import { Anchor, Button, Group, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ask, call } from '../../api.ts';
import { Problem } from '../../ui/Problem.tsx';

const profile = ask(getProfile, {});

export function HandleForm() {
  const { data, error, refetch } = useQuery(profile);
  return (
    <section aria-labelledby="handle">
      <Title order={2} size="h4" mb="xs" id="handle">
        Your public page
      </Title>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined ? error === null && <Skeleton h={96} /> : <Fields key={data.handle} handle={data.handle} />}
    </section>
  );
}

function Fields({ handle }: { handle: string | null }) {
  const [text, setText] = useState(handle ?? '');
  const queries = useQueryClient();
  const saving = useMutation({
    mutationFn: (next: string | null) => call(updateProfile, { handle: next }),
    onSuccess: (saved) => queries.setQueryData(profile.queryKey, saved),
  });
  const entered = text.trim() === '' ? null : text.trim().replace(/^@/, '');
  const problem = entered === null ? null : findHandleProblem(entered);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (problem === null) saving.mutate(entered);
  };
  return (
    <form onSubmit={submit} aria-label="Handle">
      <Stack gap="sm" align="flex-start">
        <TextInput
          data-field="handle"
          label="Handle"
          description="Your public page shows your name and your public games. If you change the handle, old links lead to the new one."
          leftSection={<Text size="sm">@</Text>}
          spellCheck={false}
          autoCapitalize="none"
          w="100%"
          value={text}
          error={problem === null ? undefined : `Please ${problem}.`}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {saving.error !== null && <Problem error={saving.error} />}
        <Group gap="sm">
          <Button type="submit" loading={saving.isPending} disabled={entered === handle || problem !== null}>
            {entered === null && handle !== null ? 'Remove handle' : 'Save'}
          </Button>
          {handle !== null && (
            <Anchor href={`/@${handle}`} size="sm">
              View your page
            </Anchor>
          )}
        </Group>
      </Stack>
    </form>
  );
}
