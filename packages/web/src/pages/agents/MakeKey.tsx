// The form that makes a personal key.
import type { InputOf } from '@chauffeur/contract/operation';
import type { createAgentKey } from '@chauffeur/contract/operations/agents';
import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../../ui/Dialog.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { ReachFields } from './ReachFields.tsx';

export type NewKey = InputOf<typeof createAgentKey>;

const EXPIRIES = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: '', label: 'Never' },
];

type MakeKeyProps = { busy: boolean; error: unknown; onMake: (key: NewKey) => void; onClose: () => void };

export function MakeKey({ busy, error, onMake, onClose }: MakeKeyProps) {
  const [name, setName] = useState('');
  const [reach, setReach] = useState({ mayWrite: false, game: '' });
  const [days, setDays] = useState('90');
  return (
    <Dialog title="Make a key" onClose={onClose}>
      <form
        aria-label="Make a key"
        onSubmit={(event) => {
          event.preventDefault();
          onMake({
            name,
            may_write: reach.mayWrite,
            ...(reach.game !== '' && { game: reach.game }),
            ...(days !== '' && { expires_in_days: Number(days) }),
          });
        }}
      >
        <Stack gap="md">
          <TextInput
            label="Name"
            description="What you will know it by: the program, the machine"
            required
            maxLength={100}
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <ReachFields value={reach} onChange={setReach} />
          <NativeSelect
            label="It expires"
            data={EXPIRIES}
            value={days}
            onChange={(event) => setDays(event.currentTarget.value)}
          />
          {error != null && <Problem error={error} />}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={busy}>
              Make it
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
