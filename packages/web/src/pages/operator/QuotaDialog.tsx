// Sets the quotas of a game: says beforehand what happens to a game that uses more, and shows who changed them before.
import { formatBytes, formatNumber } from '@chauffeur/contract/format';
import { MIB } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import { getGameQuota, listGameStorage, setGameQuota } from '@chauffeur/contract/operations/quotas';
import { Button, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Notice } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Time } from '../../ui/Time.tsx';

type Quota = OutputOf<typeof getGameQuota>;
type Game = Pick<Quota['game'], 'game_uid' | 'name'>;

export function QuotaDialog({ game, onClose }: { game: Game; onClose: () => void }) {
  const { data, error, refetch } = useQuery(ask(getGameQuota, { uid: game.game_uid }));
  return (
    <Dialog title={`Quota of ${game.name}`} onClose={onClose}>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined ? error === null && <Skeleton h={260} /> : <QuotaForm quota={data} onClose={onClose} />}
    </Dialog>
  );
}

function QuotaForm({ quota: { game, changes, defaults }, onClose }: { quota: Quota; onClose: () => void }) {
  const [storageMb, setStorageMb] = useState(game.storage_mb);
  const [crashMb, setCrashMb] = useState(game.crash_mb);
  const queries = useQueryClient();
  const saving = useMutation({
    mutationFn: () => call(setGameQuota, { uid: game.game_uid, storage_mb: storageMb, crash_mb: crashMb }),
    onSuccess: async () => {
      await Promise.all([listGameStorage, getGameQuota].map(({ id }) => queries.invalidateQueries({ queryKey: [id] })));
      onClose();
    },
  });
  const limit = (storageMb ?? defaults.storage_mb) * MIB;
  return (
    <form
      aria-label="Quota"
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <Stack gap="md">
        <QuotaField
          field="storage_mb"
          label="Storage in MiB"
          value={storageMb}
          setting={defaults.storage_mb}
          onChange={setStorageMb}
        />
        <QuotaField
          field="crash_mb"
          label="Crash files per day in MiB"
          value={crashMb}
          setting={defaults.crash_mb}
          onChange={setCrashMb}
        />
        {limit > 0 && limit < game.used_bytes && (
          <Notice tone="unsure" title={`The game already uses ${formatBytes(game.used_bytes)}`}>
            <Text size="sm">Nothing is deleted. Uploads are refused until it uses less than the quota.</Text>
          </Notice>
        )}
        {saving.error !== null && <Problem error={saving.error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={saving.isPending}>
            Save quota
          </Button>
        </Group>
        <Changes changes={changes} />
      </Stack>
    </form>
  );
}

type QuotaFieldProps = {
  field: string;
  label: string;
  value: number | null;
  setting: number;
  onChange: (value: number | null) => void;
};

function QuotaField({ field, label, value, setting, onChange }: QuotaFieldProps) {
  return (
    <TextInput
      data-field={field}
      label={label}
      description={`Leave it empty for the default, ${formatMb(setting)}. 0 means no limit.`}
      inputMode="numeric"
      pattern="[0-9]{1,9}"
      title="A whole number"
      value={value === null ? '' : String(value)}
      onChange={({ currentTarget: { value: text } }) => {
        if (/^\d{0,9}$/.test(text)) onChange(text === '' ? null : Number(text));
      }}
    />
  );
}

function formatMb(mb: number): string {
  return mb === 0 ? 'no limit' : `${formatNumber(mb)} MiB`;
}

function Changes({ changes }: Pick<Quota, 'changes'>) {
  if (changes.length === 0) return null;
  const format = (mb: number | null) => (mb === null ? 'default' : formatMb(mb));
  return (
    <Stack gap={4} component="section" aria-label="Changes">
      <Text size="sm" fw={600}>
        Changes
      </Text>
      {changes.map(({ at, by, storage_mb, crash_mb }) => (
        <Text key={at} size="sm" c="dimmed">
          <Time at={at} /> · {by ?? 'command line'}
          {`: storage ${format(storage_mb)}, crash files ${format(crash_mb)}`}
        </Text>
      ))}
    </Stack>
  );
}
