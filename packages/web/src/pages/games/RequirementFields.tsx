// The system requirements of a listing, for one operating system after the other.
import { formatOs } from '@chauffeur/contract/format';
import { OSES } from '@chauffeur/contract/identity';
import { LIMITS } from '@chauffeur/contract/limits';
import { Button, CloseButton, Fieldset, Group, SimpleGrid, Stack, Text, Textarea } from '@mantine/core';
import type { Facts } from './use-listing.ts';

type Requirements = Facts['requirements'];
type RequirementFieldsProps = { requirements: Requirements; onChange: (requirements: Requirements) => void };

const PARTS = ['minimum', 'recommended'] as const;
const LABELS = { minimum: 'Minimum', recommended: 'Recommended' } as const;

export function RequirementFields({ requirements, onChange }: RequirementFieldsProps) {
  const unused = OSES.filter((os) => !requirements.some((each) => each.os === os));
  const change = (index: number, changes: Partial<Requirements[number]>) =>
    onChange(requirements.map((each, at) => (at === index ? { ...each, ...changes } : each)));
  return (
    <Fieldset legend="System requirements" p={0} bd={0} bg="transparent">
      <Stack gap="sm">
        {requirements.map(({ os, ...texts }, index) => (
          <Stack key={os} gap={4}>
            <Group justify="space-between">
              <Text fw={600} size="sm">
                {formatOs(os)}
              </Text>
              <CloseButton
                aria-label={`Remove ${formatOs(os)}`}
                onClick={() => onChange(requirements.filter((each) => each.os !== os))}
              />
            </Group>
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
              {PARTS.map((part) => (
                <Textarea
                  key={part}
                  data-field={`requirements[${index}].${part}`}
                  label={LABELS[part]}
                  aria-label={`${LABELS[part]} for ${formatOs(os)}`}
                  placeholder={part === 'minimum' ? 'Windows 10, 4 GB of memory' : undefined}
                  autosize
                  minRows={2}
                  maxRows={8}
                  maxLength={LIMITS.requirementsLength}
                  value={texts[part]}
                  onChange={({ currentTarget }) => change(index, { [part]: currentTarget.value })}
                />
              ))}
            </SimpleGrid>
          </Stack>
        ))}
        <Group gap="xs">
          {unused.map((os) => (
            <Button
              key={os}
              variant="default"
              size="compact-sm"
              onClick={() => onChange([...requirements, { os, minimum: '', recommended: '' }])}
            >
              Add {formatOs(os)}
            </Button>
          ))}
        </Group>
      </Stack>
    </Fieldset>
  );
}
