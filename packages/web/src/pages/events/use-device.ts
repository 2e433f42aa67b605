// One device's record: read page by page, taken along whole, deleted.
import type { OutputOf } from '@chauffeur/contract/operation';
import { deleteDevice, getDevice } from '@chauffeur/contract/operations/events';
import { getBuildHealth, listHealth } from '@chauffeur/contract/operations/health';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api.ts';

type Page = OutputOf<typeof getDevice>;

function readPage(gameUid: string, device: string, cursor: string, signal?: AbortSignal): Promise<Page> {
  return call(getDevice, { uid: gameUid, device_uid: device, ...(cursor !== '' && { cursor }) }, signal);
}

const keyOf = (gameUid: string, device: string) => [getDevice.id, { uid: gameUid, device_uid: device }] as const;

export function useDevice(gameUid: string, device: string) {
  return useInfiniteQuery({
    queryKey: keyOf(gameUid, device),
    queryFn: ({ pageParam, signal }) => readPage(gameUid, device, pageParam, signal),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });
}

/** Gives the visitor a file with the whole record; answers how many events are in it. */
export function useDeviceExport(gameUid: string, device: string) {
  return useMutation({
    mutationFn: async () => {
      let page = await readPage(gameUid, device, '');
      const { next_cursor: _, ...record } = page;
      const events = [...page.events];
      while (page.next_cursor !== null) {
        page = await readPage(gameUid, device, page.next_cursor);
        events.push(...page.events);
      }
      saveFile(`device-${device.replace(/[^\w.-]/g, '_')}.json`, JSON.stringify({ ...record, events }, null, 2));
      return events.length;
    },
  });
}

function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

export type Deletion = ReturnType<typeof useDeviceDeletion>;

export function useDeviceDeletion(gameUid: string, device: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => call(deleteDevice, { uid: gameUid, device_uid: device }),
    onSuccess: () => {
      queries.removeQueries({ queryKey: keyOf(gameUid, device) });
      void queries.invalidateQueries({ queryKey: [listHealth.id] });
      void queries.invalidateQueries({ queryKey: [getBuildHealth.id] });
    },
  });
}
