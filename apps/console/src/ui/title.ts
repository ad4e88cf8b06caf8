/** The title of the tab: the page, and before it how many questions wait for a person. */
let page = '';
let waiting = 0;

function write(): void {
  const name = page === '' ? 'Baton' : `${page} · Baton`;
  document.title = waiting > 0 ? `(${waiting}) ${name}` : name;
}

export const waitingInTitle = {
  setPage(title: string): void {
    page = title;
    write();
  },
  setWaiting(count: number): void {
    waiting = count;
    write();
  },
} as const;
