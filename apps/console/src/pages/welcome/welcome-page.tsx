import { useQuery } from '@tanstack/react-query';
import { latestRunsQuery } from '../../api/runs/runs-queries.ts';
import { Page } from '../../ui/page.tsx';
import { Unloaded } from '../../ui/states.tsx';
import { Overview } from './overview.tsx';
import { Welcome } from './welcome.tsx';

const LATEST = 8;

/** The first page: examples on an empty host, and an overview on any other. */
export function WelcomePage() {
  const latest = useQuery(latestRunsQuery({ roots: true }, LATEST));
  if (latest.data !== undefined)
    return latest.data.length === 0 ? <Welcome /> : <Overview latest={latest.data} />;
  return (
    <Page title="Baton">
      <Unloaded query={latest} />
    </Page>
  );
}
