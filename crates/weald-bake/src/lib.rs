//! From a world file to artifacts: recipe, plan, jobs, store, pictures, report.
