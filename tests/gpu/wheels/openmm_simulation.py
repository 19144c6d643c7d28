# SPDX-License-Identifier: Apache-2.0
"""OpenMM's plugin for CUDA 12: its own installation test, and a simulation of its test system in water."""

import contextlib
import io
import re
from pathlib import Path

import openmm
import openmm.testInstallation
from openmm import app, unit
from report import check, end, expect, note

with check("installation test"):
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        openmm.testInstallation.main()
    output = text.getvalue()
    expect(re.search(r"CUDA - Successfully computed forces", output), output)
    (difference,) = re.findall(r"Reference vs\. CUDA: (\S+)", output)
    note(f"forces differ by {difference}")
    expect(float(difference) < 1e-4, output)

with check("simulation"):
    pdb = app.PDBFile(str(Path(openmm.testInstallation.__file__).parent / "app" / "data" / "test.pdb"))
    field = app.ForceField("amber14-all.xml", "amber14/tip3pfb.xml")
    system = field.createSystem(pdb.topology, nonbondedMethod=app.PME, constraints=app.HBonds)
    energies = {}
    for name in ("Reference", "CUDA"):
        simulation = app.Simulation(pdb.topology, system, openmm.VerletIntegrator(0.001 * unit.picosecond),
                                    openmm.Platform.getPlatform(name))
        simulation.context.setPositions(pdb.positions)
        state = simulation.context.getState(getEnergy=True)
        energies[name] = state.getPotentialEnergy() / unit.kilojoule_per_mole
    off = abs(energies["CUDA"] / energies["Reference"] - 1)
    note(f"energy differs by {off:.1e}")
    expect(off < 1e-4, f"energies {energies}")
    simulation.minimizeEnergy(maxIterations=100)
    simulation.context.setVelocitiesToTemperature(300 * unit.kelvin, 1)

    def total() -> float:
        now = simulation.context.getState(getEnergy=True)
        return (now.getPotentialEnergy() + now.getKineticEnergy()) / unit.kilojoule_per_mole

    simulation.step(1000)
    before = total()
    simulation.step(4000)
    drift = abs(total() / before - 1)
    note(f"total energy drifts by {drift:.1e} in 4000 steps")
    expect(drift < 0.01, f"the total energy drifts by {drift}")

end("openmm")
