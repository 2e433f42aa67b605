// The stored data of one device: load it page by page, export all of it, or delete it.
import type { OutputOf } from '@chauffeur/contract/operation';
import { deleteDevice, getDevice } from '@chauffeur/contract/operations/events';
import { getBuildHealth, listHealth } from '@chauffeur/contract/operations/health';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call, pagesQuery } from '../../api.ts';
import { saveFile } from '../../ui/save-file.ts';
import { usePages } from '../../ui/use-pages.ts';

type Page = OutputOf<typeof getDevice>;

export function useDevice(gameUid: string, device: string) {
  return usePages(getDevice, { uid: gameUid, device_uid: device }, (page) => page.events);
}

/** Saves the whole record as a JSON file and returns the number of its events. */
export function useDeviceExport(gameUid: string, device: string) {
  const loadPage = (cursor: string | null): Promise<Page> =>
    call(getDevice, { uid: gameUid, device_uid: device, ...(cursor !== null && { cursor }) });
  return useMutation({
    mutationFn: async () => {
      let page = await loadPage(null);
      const { next_cursor: _, ...record } = page;
      const events = [...page.events];
      while (page.next_cursor !== null) {
        page = await loadPage(page.next_cursor);
        events.push(...page.events);
      }
      const file = new Blob([JSON.stringify({ ...record, events }, null, 2)], { type: 'application/json' });
      saveFile(`device-${device.replace(/[^\w.-]/g, '_')}.json`, file);
      return events.length;
    },
  });
}

export type Deletion = ReturnType<typeof useDeviceDeletion>;

export function useDeviceDeletion(gameUid: string, device: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => call(deleteDevice, { uid: gameUid, device_uid: device }),
    onSuccess: () => {
      queries.removeQueries({ queryKey: pagesQuery(getDevice, { uid: gameUid, device_uid: device }).queryKey });
      void queries.invalidateQueries({ queryKey: [listHealth.id] });
      void queries.invalidateQueries({ queryKey: [getBuildHealth.id] });
    },
  });
}
