import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { seededRandom } from './durability/random.ts';

/**
 * The order of the test files: the longest first, or any order that follows from `--sequence.seed`. The files of a project
 * come together, because a process is shared by files of one project only.
 */
export default class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const longestFirst = await super.sort(files);
    const { seed } = this.ctx.config.sequence;
    if (seed === undefined) return longestFirst;
    const random = seededRandom(seed);
    const byModule = files.toSorted((a, b) => (a.moduleId < b.moduleId ? -1 : 1));
    const drawn = new Map(byModule.map((file) => [file, random.next()]));
    return byModule.toSorted(
      (a, b) => a.project.name.localeCompare(b.project.name) || (drawn.get(a) ?? 0) - (drawn.get(b) ?? 0),
    );
  }
}
