// The dialog with the keyboard shortcuts of the page that is open.
import { Group, Kbd, Table, Text } from '@mantine/core';
import { Dialog } from '../ui/Dialog.tsx';
import classes from './GameFrame.module.css';
import { activeShortcuts } from './use-shortcuts.ts';

export function ShortcutList({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <Table withRowBorders={false}>
        <Table.Tbody>
          {activeShortcuts().map(({ name, keys, description }) => (
            <Table.Tr key={`${keys.join(' ')} ${name}`}>
              <Table.Td className={classes.key}>
                <Group gap={4}>
                  {keys.map((key) => (
                    <Kbd key={key}>{key}</Kbd>
                  ))}
                </Group>
              </Table.Td>
              <Table.Td>
                <Text size="sm">{description}</Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Dialog>
  );
}
