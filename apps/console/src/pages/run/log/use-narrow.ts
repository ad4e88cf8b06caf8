import { useMediaQuery } from '../../../ui/media-query.ts';

/** Whether the page is as narrow as a phone. */
export function useNarrow(): boolean {
  return useMediaQuery('(max-width: 767px)');
}
