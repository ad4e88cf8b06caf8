/** Counts registrations of workflows. All of them go through this process, so none is missed. */
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
