from benchmarks import compare, harness
from benchmarks.programs import Failed
from benchmarks.worker import Worker, workplace

MEMORY_SWEEPS = 10


def run(options) -> None:
    def measure(names, task, held_out):
        for name in names:
            try:
                program = measure_one(name, task, options.limit)
            except Failed as failure:
                print(failure, flush=True)
            else:
                harness.print_rows([{"program": name, **program}])
                yield {name: program}

    compare.measure(options, "process", measure)


def measure_one(name: str, task, limit: float) -> dict:
    with workplace():
        with Worker(name) as worker:
            cold = worker.do("prepare", task)
        with Worker(name) as worker:
            report = {"cold": cold, "warm": worker.do("prepare", task)}
            report["start"] = worker.do("start", task)
            runner = compare.RemoteRunner(worker)
            while runner.n_sweeps < MEMORY_SWEEPS and runner.seconds < limit:
                runner.turn(MEMORY_SWEEPS, 1)
            report["sweeps"] = runner.n_sweeps
            return report | {"peak_bytes": worker.do("peak_bytes")}


def section(reports, images) -> dict:
    tables = []

    def peak(report, name):
        return f"{report['programs'][name]['peak_bytes'] / 1e6:.0f}"

    for title, by_topics in compare.by_corpus(reports).items():
        tables.append(compare.topics_table(f"{title}, MB", by_topics, peak))
        report, rows = next(iter(by_topics.values())), []
        for name, program in report["programs"].items():
            cold, warm = program["cold"], program["warm"]
            seconds = warm["import"], cold["first"], warm["first"], program["start"]
            rows.append([*compare.first_cells(name), *(f"{s:.2f}" for s in seconds)])
        head = [*compare.HEAD, "import", "sweeps, not compiled", "sweeps, compiled"]
        head += ["start"]
        title = f"{compare.title_of(report)}: seconds"
        tables.append(compare.table(title, head, rows))
    return {"tables": "\n\n".join(tables)}
