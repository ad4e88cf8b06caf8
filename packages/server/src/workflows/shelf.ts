/** How often workflows were registered. All registrations go through this process, so it knows of each. */
export interface WorkflowShelf {
  /** Grows with every registration. */
  revision(): number;
  changed(): void;
}

export function createShelf(): WorkflowShelf {
  let revision = 0;
  return {
    revision: () => revision,
    changed() {
      revision += 1;
    },
  };
}
