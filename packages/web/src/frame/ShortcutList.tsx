// The dialog with the keyboard shortcuts of the page that is open.
import { Group, Kbd, Text } from '@mantine/core';
import { Dialog } from '../ui/Dialog.tsx';
import classes from './GameFrame.module.css';
import { activeShortcuts } from './shortcuts.ts';

export function ShortcutList({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <table className={classes.shortcuts}>
        <tbody>
          {activeShortcuts().map(({ name, keys, description }) => (
            <tr key={`${keys.join(' ')} ${name}`}>
              <td className={classes.key}>
                <Group gap={4}>
                  {keys.map((key) => (
                    <Kbd key={key}>{key}</Kbd>
                  ))}
                </Group>
              </td>
              <td>
                <Text size="sm">{description}</Text>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}
